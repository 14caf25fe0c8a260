package dev.tidemark.retention.cli;

import dev.tidemark.retention.schema.Migrations;
import picocli.CommandLine.IVersionProvider;

/** The version of this build, from the jar's manifest, and of the schema it works with. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String build = Version.class.getPackage().getImplementationVersion();
    return new String[] {
      "retention " + (build == null ? "(unpackaged)" : build),
      "schema " + Migrations.VERSIONED.get(Migrations.VERSIONED.size() - 1).version()
    };
  }
}
