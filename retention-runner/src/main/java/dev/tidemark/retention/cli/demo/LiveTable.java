package dev.tidemark.retention.cli.demo;

import dev.tidemark.retention.cli.demo.Frame.GroupRates;
import dev.tidemark.retention.cli.demo.Frame.QueueLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A frame as text of at most {@value #WIDTH} columns, and as what a terminal needs to show it in
 * place of the last one.
 */
public final class LiveTable {
  static final int WIDTH = 100;

  private static final String ESCAPE = "\u001b[";

  /** A line that is too long for the window is cut there, since a wrapped one would shift all. */
  private static final String NO_WRAP = ESCAPE + "?7l";

  private static final String WRAP = ESCAPE + "?7h";
  private static final String CLEAR_TO_END_OF_LINE = ESCAPE + "K";
  private static final String CLEAR_BELOW = ESCAPE + "J";

  private int drawn;

  /** The frame over the last one; the cursor is below it afterwards. */
  public String redraw(Frame frame) {
    StringBuilder text = new StringBuilder(NO_WRAP);
    if (drawn > 0) {
      text.append(ESCAPE).append(drawn).append('A');
    }
    List<String> lines = lines(frame);
    lines.forEach(line -> text.append('\r').append(line).append(CLEAR_TO_END_OF_LINE).append('\n'));
    drawn = lines.size();
    return text.append(CLEAR_BELOW).append(WRAP).toString();
  }

  static List<String> lines(Frame frame) {
    List<String> lines = new ArrayList<>();
    lines.add(headline(frame));
    lines.add("");
    lines.addAll(traffic(frame));
    lines.add("");
    lines.addAll(log(frame));
    return lines.stream().map(LiveTable::cut).toList();
  }

  private static String headline(Frame frame) {
    return seconds(frame.elapsed())
        + " of "
        + seconds(frame.length())
        + ", "
        + count(frame.cycles())
        + " cycles, "
        + count(frame.duplicates().refused())
        + " of "
        + count(frame.duplicates().repeated())
        + " repeated segments refused";
  }

  private static List<String> traffic(Frame frame) {
    Columns columns = new Columns();
    List<String> heading = new ArrayList<>(List.of("messages/s", "pushed"));
    frame.queues().stream()
        .limit(1)
        .flatMap(q -> q.groups().stream())
        .forEach(g -> heading.addAll(List.of(g.group() + " popped", "acked")));
    heading.addAll(List.of("push ms p50", "p99", "max"));
    columns.row(heading);
    for (QueueLine q : frame.queues()) {
      List<String> row = new ArrayList<>(List.of(q.queue(), rate(q.pushed())));
      for (GroupRates g : q.groups()) {
        row.add(rate(g.popped()));
        row.add(rate(g.acked()));
      }
      row.add(millis(q.pushTimes().p50Ms()));
      row.add(millis(q.pushTimes().p99Ms()));
      row.add(millis(q.pushTimes().maxMs()));
      columns.row(row);
    }
    return columns.lines();
  }

  private static List<String> log(Frame frame) {
    Columns columns = new Columns();
    columns.row(
        "deleted by",
        "retention",
        "completed",
        "max wait",
        "segments",
        "messages",
        "oldest",
        "pinned by",
        "messages");
    for (QueueLine q : frame.queues()) {
      List<String> row = new ArrayList<>(List.of(q.queue()));
      q.deleted().forEach(segments -> row.add(count(segments)));
      row.add(count(q.segments()));
      row.add(count(q.messages()));
      row.add(q.oldest().map(LiveTable::age).orElse("-"));
      row.add(q.pin().map(Frame.Pin::group).orElse("-"));
      row.add(q.pin().map(pin -> count(pin.messages())).orElse("-"));
      columns.row(row);
    }
    return columns.lines();
  }

  private static String cut(String line) {
    return line.length() <= WIDTH ? line : line.substring(0, WIDTH);
  }

  private static String rate(double perSecond) {
    return count(Math.round(perSecond));
  }

  static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  static String millis(double ms) {
    return String.format(Locale.ROOT, ms < 100 ? "%.1f" : "%.0f", ms);
  }

  private static String age(Duration age) {
    return String.format(Locale.ROOT, "%.1f s", age.toMillis() / 1000.0);
  }

  private static String seconds(Duration duration) {
    return duration.toSeconds() + " s";
  }

  /** One line, where there is no terminal to draw on. */
  public static String oneLine(Frame frame) {
    double pushed = frame.queues().stream().mapToDouble(QueueLine::pushed).sum();
    long live = frame.queues().stream().mapToLong(QueueLine::messages).sum();
    long deleted =
        frame.queues().stream().flatMap(q -> q.deleted().stream()).mapToLong(Long::longValue).sum();
    return seconds(frame.elapsed())
        + " of "
        + seconds(frame.length())
        + ": "
        + rate(pushed)
        + " messages/s pushed, "
        + count(live)
        + " live, "
        + count(deleted)
        + " segments deleted in "
        + count(frame.cycles())
        + " cycles";
  }
}
