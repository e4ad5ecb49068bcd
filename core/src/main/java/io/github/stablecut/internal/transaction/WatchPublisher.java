package io.github.stablecut.internal.transaction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Change;
import io.github.stablecut.internal.thread.Threads;
import io.github.stablecut.log.Log;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Publishes a watch to one subscriber on a separate thread, following {@link Flow} and Reactive
 * Streams. Thread-safe.
 */
public final class WatchPublisher implements Flow.Publisher<Change> {
  private static final Logger LOG = Log.of(WatchPublisher.class);

  private final EndingWatch watch;
  private final AtomicBoolean hasSubscriber = new AtomicBoolean();

  /** Creates the publisher of a watch, which is not polled otherwise. */
  public WatchPublisher(EndingWatch watch) {
    this.watch = watch;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super Change> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    if (hasSubscriber.compareAndSet(false, true)) {
      new Delivery(watch, subscriber).begin();
    } else {
      refuse(subscriber);
    }
  }

  /** Rejects a second subscriber; the first one keeps the watch. */
  private static void refuse(Flow.Subscriber<? super Change> subscriber) {
    try {
      subscriber.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long number) {
              // There are no changes to deliver.
            }

            @Override
            public void cancel() {
              // There is no delivery to end.
            }
          });
      subscriber.onError(
          new IllegalStateException("the watch has or had a subscriber: begin another watch"));
    } catch (Throwable e) {
      logViolation(e);
    }
  }

  /** Rule 2.13: a subscriber that throws has cancelled. */
  private static void logViolation(Throwable thrown) {
    LOG.warn(
        "A subscriber of a watch threw an exception instead of cancelling; its subscription is cancelled",
        thrown);
  }

  /** Delivers changes on demand, and ends with the watch. */
  private static final class Delivery implements Flow.Subscription, Runnable {
    private final EndingWatch watch;

    /** Null after the last signal, so that the watch no longer references the subscriber. */
    @GuardedBy("this")
    private Flow.@Nullable Subscriber<? super Change> subscriber;

    @GuardedBy("this")
    private long demand;

    /** The subscriber's violation of the rules; null if there is none. */
    @GuardedBy("this")
    private @Nullable IllegalArgumentException misuse;

    @GuardedBy("this")
    private boolean hasEnded;

    Delivery(EndingWatch watch, Flow.Subscriber<? super Change> subscriber) {
      this.watch = watch;
      this.subscriber = subscriber;
    }

    void begin() {
      Flow.Subscriber<? super Change> subscribing = subscriber();
      if (subscribing == null) {
        return;
      }
      try {
        subscribing.onSubscribe(this);
      } catch (Throwable e) {
        logViolation(e);
        cancel();
        return;
      }
      try {
        watch.onEnd(this::end);
        Threads.daemon("watch-subscriber", this).start();
      } catch (Throwable e) {
        fail(e);
      }
    }

    @Override
    public void run() {
      try {
        while (awaitDemand()) {
          // Clears an interrupt that the subscriber's code left behind.
          Thread.interrupted();
          deliver(watch.next());
        }
      } catch (Throwable e) {
        IllegalArgumentException bad = misuse();
        fail(bad == null ? e : bad);
      } finally {
        cancel();
      }
    }

    /**
     * Waits for demand; returns false if there will be none. Throws the reason if the watch has
     * ended.
     */
    private boolean awaitDemand() {
      synchronized (this) {
        while (subscriber != null && misuse == null && demand == 0 && !hasEnded) {
          try {
            wait();
          } catch (InterruptedException e) {
            // The interrupt was left behind by the subscriber's code: keep waiting.
          }
        }
        if (subscriber == null) {
          return false;
        }
        if (misuse != null) {
          throw misuse;
        }
        if (demand > 0) {
          demand--;
          return true;
        }
      }
      watch.checkOpen();
      throw new IllegalStateException("the watch has ended: begin another after its position");
    }

    private void deliver(Change change) {
      Flow.Subscriber<? super Change> receiver = subscriber();
      if (receiver != null) {
        try {
          receiver.onNext(change);
        } catch (Throwable e) {
          logViolation(e);
          cancel();
        }
      }
    }

    private void fail(Throwable reason) {
      Flow.Subscriber<? super Change> receiver = subscriber();
      cancel();
      if (receiver != null) {
        try {
          receiver.onError(reason);
        } catch (Throwable e) {
          logViolation(e);
        }
      }
    }

    private synchronized Flow.@Nullable Subscriber<? super Change> subscriber() {
      return subscriber;
    }

    private synchronized @Nullable IllegalArgumentException misuse() {
      return misuse;
    }

    private synchronized void end() {
      hasEnded = true;
      notifyAll();
    }

    @Override
    public void request(long number) {
      boolean isMisuse;
      synchronized (this) {
        isMisuse = number <= 0 && subscriber != null;
        if (isMisuse) {
          misuse =
              new IllegalArgumentException(
                  "a subscriber must request at least 1 change, not %d (Reactive Streams, rule 3.9)"
                      .formatted(number));
        } else {
          demand = demand + number < 0 ? Long.MAX_VALUE : demand + number;
        }
        notifyAll();
      }
      if (isMisuse) {
        watch.close();
      }
    }

    @Override
    public void cancel() {
      boolean ends;
      synchronized (this) {
        ends = subscriber != null;
        subscriber = null;
        notifyAll();
      }
      if (ends) {
        watch.close();
      }
    }
  }
}
