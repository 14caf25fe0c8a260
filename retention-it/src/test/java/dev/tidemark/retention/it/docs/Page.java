package dev.tidemark.retention.it.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One Markdown file of the documentation. A reference page has one generated block, between two
 * comments; what stands outside it is written by hand.
 */
record Page(Path file) {
  static final Path ROOT = Path.of(System.getProperty("tidemark.root", "..")).toAbsolutePath();

  private static final String BEGIN = "<!-- generated from the code: see docs/README.md -->\n";
  private static final String END = "<!-- end of the generated part -->\n";
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.*)$");

  static Page of(String path) {
    return new Page(ROOT.resolve(path));
  }

  /** Every page of the project: those at the top, and everything under docs. */
  static List<Page> all() {
    List<Page> pages = new ArrayList<>();
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      Stream.concat(top, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .forEach(file -> pages.add(new Page(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return pages;
  }

  String text() {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String generated() {
    String text = text();
    return text.substring(blockBegin(text), blockEnd(text));
  }

  void write(String block) {
    String text = text();
    try {
      Files.writeString(
          file, text.substring(0, blockBegin(text)) + block + text.substring(blockEnd(text)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private int blockBegin(String text) {
    int begin = text.indexOf(BEGIN);
    if (begin < 0) {
      throw new AssertionError(this + " lacks the line " + BEGIN);
    }
    return begin + BEGIN.length();
  }

  private int blockEnd(String text) {
    int end = text.indexOf(END, blockBegin(text));
    if (end < 0) {
      throw new AssertionError(this + " lacks the line " + END);
    }
    return end;
  }

  /** What stands under a second-level heading, up to the next one. */
  String section(String heading) {
    String text = text();
    int begin = text.indexOf("\n## " + heading + "\n");
    if (begin < 0) {
      throw new AssertionError(this + " lacks the section " + heading);
    }
    int end = text.indexOf("\n## ", begin + 1);
    return text.substring(begin, end < 0 ? text.length() : end);
  }

  /** Links to other files of the project that lead nowhere. */
  List<String> brokenLinks() {
    List<String> broken = new ArrayList<>();
    Matcher link = LINK.matcher(prose());
    while (link.find()) {
      if (!link.group(1).matches("https?:.*") && !leadsSomewhere(link.group(1))) {
        broken.add(this + " -> " + link.group(1));
      }
    }
    return broken;
  }

  private boolean leadsSomewhere(String link) {
    int hash = link.indexOf('#');
    String path = hash < 0 ? link : link.substring(0, hash);
    Path target = path.isEmpty() ? file : file.resolveSibling(path).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return hash < 0 || new Page(target).anchors().contains(link.substring(hash + 1));
  }

  /** Whether this page links to the other one. */
  boolean linksTo(Page other) {
    return LINK.matcher(prose())
        .results()
        .map(link -> link.group(1).replaceFirst("#.*", ""))
        .anyMatch(path -> file.resolveSibling(path).normalize().equals(other.file()));
  }

  private List<String> anchors() {
    return HEADING
        .matcher(prose())
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^a-z0-9 _-]", "").strip().replace(' ', '-'))
        .toList();
  }

  private String prose() {
    return CODE_BLOCK.matcher(text()).replaceAll("");
  }

  @Override
  public String toString() {
    return ROOT.relativize(file).toString();
  }
}
