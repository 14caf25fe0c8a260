package dev.tidemark.retention.it.history;

import dev.tidemark.retention.it.model.Answer;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/** How often each action of some histories was answered in which way. */
public final class Tally {
  private final SortedMap<String, Integer> counts = new TreeMap<>();

  void count(HistoryAction action, Answer answer) {
    counts.merge(action.getClass().getSimpleName() + " " + kind(answer), 1, Integer::sum);
  }

  /** Those of these that did not happen once. */
  public List<String> missing(Collection<String> outcomes) {
    return outcomes.stream().filter(outcome -> !counts.containsKey(outcome)).toList();
  }

  @Override
  public String toString() {
    return counts.toString();
  }

  private static String kind(Answer answer) {
    if (answer instanceof Answer.Stepped a) {
      return a.deleted() > 0 ? "deleted by " + a.type() : "deleted nothing";
    } else if (answer instanceof Answer.Purged a) {
      return a.deleted() > 0 ? "purged" : "purged nothing";
    } else if (answer instanceof Answer.Swept a) {
      return (a.segments() > 0 ? "swept" : "swept nothing") + (a.evicted() > 0 ? ", evicted" : "");
    } else if (answer instanceof Answer.Cleaned a) {
      return a.deleted() > 0 ? "cleaned" : "cleaned nothing";
    } else if (answer instanceof Answer.Popped a) {
      return a.leased().isEmpty() ? "popped nothing" : "popped";
    } else if (answer instanceof Answer.Acked a) {
      return a.acked() ? "acked" : "not acked";
    } else if (answer instanceof Answer.Deleted a) {
      return a.rows() > 0 ? "deleted" : "deleted nothing";
    } else if (answer instanceof Answer.QueueDeleted a) {
      return a.deleted() ? "deleted" : "deleted nothing";
    } else if (answer instanceof Answer.Dead a) {
      return a.dead() ? "dead" : "alive";
    }
    return answer.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }
}
