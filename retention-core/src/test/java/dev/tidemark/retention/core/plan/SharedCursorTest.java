package dev.tidemark.retention.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SharedCursorTest {
  @Test
  void itemsComeInOrderAndOnePutBehindComesLast() {
    SharedCursor<String> cursor = new SharedCursor<>(List.of("a", "b"));

    cursor.toTheBack(cursor.next(1, 1).get(0));
    cursor.giveBack(List.of());

    assertThat(cursor.remaining()).isEqualTo(2);
    assertThat(cursor.left()).containsExactly("b", "a");
    assertThat(cursor.next(5, 1)).containsExactly("b", "a");
    cursor.giveBack(List.of());
    assertThat(cursor.next(5, 1)).isEmpty();
  }

  @Test
  void whatWasNotServedGoesBackToItsPlaceBeforeTheOthers() {
    SharedCursor<String> cursor = new SharedCursor<>(List.of("a", "b", "c", "d"));

    List<String> taken = cursor.next(3, 1);
    cursor.giveBack(taken.subList(1, 3));

    assertThat(taken).containsExactly("a", "b", "c");
    assertThat(cursor.next(5, 1)).containsExactly("b", "c", "d");
  }

  @Test
  void aWorkerTakesNoMoreThanItsShareOfWhatIsLeft() {
    SharedCursor<Integer> cursor = new SharedCursor<>(List.of(1, 2, 3, 4, 5, 6, 7, 8));

    assertThat(cursor.next(64, 4)).containsExactly(1, 2);
    assertThat(cursor.next(64, 4)).containsExactly(3);
    assertThat(cursor.next(2, 1)).as("nor more than it wants").containsExactly(4, 5);
    assertThat(cursor.next(64, 4)).as("but always one").containsExactly(6);
  }

  @Test
  void nobodyIsSentHomeWhileAChunkThatMayComeBackIsOut() throws Exception {
    SharedCursor<String> cursor = new SharedCursor<>(List.of("a", "b"));
    List<String> chunk = cursor.next(64, 1);
    Waiter other = new Waiter(cursor);

    cursor.giveBack(chunk.subList(1, 2));

    assertThat(other.taken()).containsExactly("b");
    cursor.giveBack(List.of());
    assertThat(cursor.next(64, 1)).as("and all go home when none is out").isEmpty();
  }

  @Test
  void whatIsPutBehindIsTakenByWhoeverWaits() throws Exception {
    SharedCursor<String> cursor = new SharedCursor<>(List.of("a"));
    List<String> chunk = cursor.next(64, 1);
    Waiter other = new Waiter(cursor);

    cursor.toTheBack(chunk.get(0));

    assertThat(other.taken()).containsExactly("a");
  }

  @Test
  void anInterruptSendsNobodyHomeAndIsKept() throws Exception {
    SharedCursor<String> cursor = new SharedCursor<>(List.of("a"));
    List<String> chunk = cursor.next(64, 1);
    Waiter other = new Waiter(cursor);

    other.thread.interrupt();
    other.awaitThatItWaits();
    cursor.giveBack(chunk);

    assertThat(other.taken()).containsExactly("a");
    assertThat(other.interrupted).isCompletedWithValue(true);
  }

  /** A worker that finds the line empty while a chunk is out. */
  private static final class Waiter {
    private final CompletableFuture<List<String>> taken = new CompletableFuture<>();
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    private final Thread thread;

    Waiter(SharedCursor<String> cursor) {
      thread =
          new Thread(
              () -> {
                List<String> chunk = cursor.next(64, 1);
                interrupted.complete(Thread.currentThread().isInterrupted());
                taken.complete(chunk);
              });
      thread.setDaemon(true);
      thread.start();
      awaitThatItWaits();
    }

    void awaitThatItWaits() {
      while (thread.isInterrupted() || thread.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }

    List<String> taken() throws Exception {
      return taken.get(20, TimeUnit.SECONDS);
    }
  }
}
