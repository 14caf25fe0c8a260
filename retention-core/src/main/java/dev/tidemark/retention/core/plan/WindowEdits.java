package dev.tidemark.retention.core.plan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Notices edited windows, so that what was learned under the old ones is forgotten at once. One
 * cycle at a time.
 */
public final class WindowEdits {
  private final Map<UUID, QueueRule.Windows> before = new HashMap<>();

  /** The queues whose windows are those of the list before; the new ones are remembered. */
  public Set<UUID> unchanged(WorkList list) {
    Set<UUID> unchanged = new HashSet<>();
    Map<UUID, QueueRule.Windows> now = new HashMap<>();
    list.rules()
        .forEach(
            (id, rule) -> {
              QueueRule.Windows windows = rule.windows(list.listedAt());
              now.put(id, windows);
              if (windows.equals(before.get(id))) {
                unchanged.add(id);
              }
            });
    before.clear();
    before.putAll(now);
    return unchanged;
  }
}
