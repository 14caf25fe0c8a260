package dev.tidemark.retention.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ThreadWorkersTest {
  private final ThreadWorkers workers = new ThreadWorkers();

  @Test
  void allHaveEndedWhenItReturns() throws InterruptedException {
    CountDownLatch hold = new CountDownLatch(1);
    AtomicInteger entered = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    Thread caller =
        new Thread(
            () ->
                workers.run(
                    3,
                    () -> {
                      if (entered.incrementAndGet() > 1) {
                        uninterruptibly(hold);
                      }
                      ended.incrementAndGet();
                    }));
    caller.start();
    while (ended.get() < 1 || entered.get() < 3 || caller.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    hold.countDown();
    caller.join();

    assertThat(ended).hasValue(3);
  }

  @Test
  void theFirstFailureIsThrownAfterAllHaveEnded() {
    AtomicInteger ended = new AtomicInteger();
    IllegalStateException failure = new IllegalStateException("one of them");

    assertThatThrownBy(
            () ->
                workers.run(
                    4,
                    () -> {
                      if (ended.incrementAndGet() == 2) {
                        throw failure;
                      }
                    }))
        .isSameAs(failure);
    assertThat(ended).hasValue(4);
  }

  private static void uninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
