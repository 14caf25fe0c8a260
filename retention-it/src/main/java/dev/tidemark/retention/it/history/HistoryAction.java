package dev.tidemark.retention.it.history;

/** Something that happens to a log. Its name and arguments are the line it has in a story. */
public interface HistoryAction {
  void on(World world);
}
