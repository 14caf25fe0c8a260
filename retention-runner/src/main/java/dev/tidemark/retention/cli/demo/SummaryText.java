package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.demo.InvariantCheck.Verdict;
import dev.tidemark.retention.cli.demo.Latencies.Quantiles;
import dev.tidemark.retention.cli.demo.Summary.Queue;
import dev.tidemark.retention.cli.demo.Summary.Went;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A summary for a person. */
public final class SummaryText {
  private static final int MOST_FINDINGS = 5;

  private SummaryText() {}

  public static List<String> lines(Summary s) {
    List<String> lines = new ArrayList<>();
    lines.addAll(windows(s));
    lines.add("");
    lines.addAll(queues(s));
    lines.add("");
    lines.add(pushes("single pushes", s.pushes().single()));
    lines.add(pushes("multi-pushes", s.pushes().multi()));
    lines.add(
        number(s.totals().pushedMessages())
            + " messages pushed in "
            + String.format(
                Locale.ROOT, "%.1f s, %,.0f a second; ", s.seconds(), s.totals().pushedPerSecond())
            + number(s.retention().cycles())
            + " cycles beside it, "
            + number(s.retention().failedSteps())
            + " steps failed");
    lines.add(
        number(s.duplicates().repeated())
            + " segments pushed a second time on purpose, "
            + number(s.duplicates().refused())
            + " refused as duplicates, "
            + number(s.duplicates().newRefused())
            + " new messages refused");
    if (s.acksRefused() > 0) {
      lines.add(number(s.acksRefused()) + " batches came too late to be acked and were read again");
    }
    if (s.replay() != null) {
      lines.add(
          number(s.replay().pushedMessages())
              + " of the file's "
              + number(s.replay().fileMessages())
              + " events pushed"
              + (s.replay().pushedMessages() < s.replay().fileMessages()
                  ? ": this machine did not keep pace, give it more --seconds"
                  : ""));
    }
    lines.add(
        "the hash sidecar is kept for at least 900 s, so its purge is not part of a short demo");
    lines.add("");
    lines.addAll(invariants(s));
    return lines;
  }

  private static List<String> windows(Summary s) {
    Columns columns = new Columns();
    columns.row("window", "retention", "completed", "max wait", "partitions");
    for (Queue q : s.queues()) {
      columns.row(
          q.queue(),
          window(q.windows().retention()),
          window(q.windows().completedRetention()),
          window(q.windows().maxWait()),
          number(q.partitions()));
    }
    return columns.lines();
  }

  private static List<String> queues(Summary s) {
    Columns columns = new Columns();
    List<String> heading = new ArrayList<>(List.of("messages", "pushed"));
    s.totals().acked().keySet().forEach(group -> heading.add(group + " acked"));
    heading.addAll(List.of("deleted: retention", "completed", "max wait", "live"));
    columns.row(heading);
    for (Queue q : s.queues()) {
      List<String> row = new ArrayList<>(List.of(q.queue(), number(q.pushedMessages())));
      q.acked().values().forEach(acked -> row.add(number(acked)));
      q.deleted().values().forEach(went -> row.add(number(went.messages())));
      row.add(number(q.liveMessages()));
      columns.row(row);
    }
    if (s.queues().size() == 1) {
      return columns.lines();
    }
    List<String> total = new ArrayList<>(List.of("all", number(s.totals().pushedMessages())));
    s.totals().acked().values().forEach(acked -> total.add(number(acked)));
    s.totals().deleted().values().stream().map(Went::messages).forEach(m -> total.add(number(m)));
    total.add(number(s.totals().liveMessages()));
    columns.row(total);
    return columns.lines();
  }

  private static String pushes(String what, Quantiles q) {
    return number(q.count())
        + " "
        + what
        + (q.count() == 0
            ? ""
            : ": p50 "
                + LiveTable.millis(q.p50Ms())
                + " ms, p99 "
                + LiveTable.millis(q.p99Ms())
                + " ms, max "
                + LiveTable.millis(q.maxMs())
                + " ms");
  }

  private static List<String> invariants(Summary s) {
    List<String> lines = new ArrayList<>();
    for (Verdict v : s.invariants()) {
      lines.add("invariant " + v.invariant() + " " + v.result() + ": " + v.checkedBy());
      v.broken().stream().limit(MOST_FINDINGS).forEach(found -> lines.add("  " + found));
      if (v.broken().size() > MOST_FINDINGS) {
        lines.add("  ... and " + (v.broken().size() - MOST_FINDINGS) + " more");
      }
    }
    return lines;
  }

  private static String window(int seconds) {
    return seconds == 0 ? "off" : seconds + " s";
  }

  private static String number(long number) {
    return LiveTable.count(number);
  }
}
