/**
 * The bench's plots, as SVG. XChart lays them out and Batik writes them; both draw by Java 2D, so
 * the JVM needs a font, which a headless one on a bare machine may lack: {@link
 * dev.tidemark.retention.cli.bench.chart.Charts#requireFonts} says so before anything is measured.
 */
@NullMarked
package dev.tidemark.retention.cli.bench.chart;

import org.jspecify.annotations.NullMarked;
