package dev.tidemark.retention.it.model;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The hashes of a partition's messages: what finds duplicates, and what a purge takes. */
final class Sidecar {
  private long start;
  private List<Hashes> rows = new ArrayList<>();

  Sidecar copy() {
    Sidecar copy = new Sidecar();
    copy.start = start;
    copy.rows.addAll(rows);
    return copy;
  }

  long start() {
    return start;
  }

  @Nullable Instant oldestAt() {
    return rows.isEmpty() ? null : rows.get(0).createdAt();
  }

  List<Hashes> rows() {
    return List.copyOf(rows);
  }

  void append(Hashes row) {
    rows.add(row);
  }

  /** The words that are here since then, from one offset to another, or that come twice. */
  List<Answer.Dup> dups(List<String> words, long first, long last, Instant since) {
    List<Answer.Dup> dups = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      Long held = offsetOf(words.get(i), first, last, since);
      if (held != null || words.indexOf(words.get(i)) < i) {
        dups.add(new Answer.Dup(i, held));
      }
    }
    return dups;
  }

  @Nullable Long offsetOf(String word, long first, long last, Instant since) {
    for (Hashes row : rows) {
      for (int k = 0; k < row.words().size(); k++) {
        long offset = row.base() + k;
        boolean looked = offset >= first && offset <= last && !row.createdAt().isBefore(since);
        if (looked && row.words().get(k).equals(word)) {
          return offset;
        }
      }
    }
    return null;
  }

  Answer.Purged purge(@Nullable Instant cutoff, int maxRows) {
    int old =
        (int)
            rows.stream().takeWhile(r -> cutoff != null && r.createdAt().isBefore(cutoff)).count();
    int gone = Math.min(maxRows, old);
    if (gone == 0) {
      return new Answer.Purged(0, start, true);
    }
    boolean more = gone == maxRows && rows.size() > maxRows;
    start = rows.get(gone - 1).end() + 1;
    rows = new ArrayList<>(rows.subList(gone, rows.size()));
    return new Answer.Purged(gone, start, !more);
  }

  void age(Duration by) {
    rows.replaceAll(r -> r.aged(by));
  }
}
