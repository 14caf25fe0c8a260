package dev.tidemark.retention.it.laws;

/** Something that happens to a log. Its name and arguments are the line it has in a story. */
interface HistoryAction {
  void on(World world);
}
