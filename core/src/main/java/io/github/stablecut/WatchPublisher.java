package io.github.stablecut;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;

/** A watch for one subscriber, on a thread of its own. Thread-safe. */
final class WatchPublisher implements Flow.Publisher<Change> {
  private final Watch watch;
  private final AtomicBoolean hasSubscriber = new AtomicBoolean();

  WatchPublisher(Watch watch) {
    this.watch = watch;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super Change> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    Delivery delivery = new Delivery(watch, subscriber);
    if (!hasSubscriber.compareAndSet(false, true)) {
      delivery.refuse();
      return;
    }
    subscriber.onSubscribe(delivery);
    Thread thread = new Thread(delivery, "watch-subscriber");
    thread.setDaemon(true);
    thread.start();
  }

  /** Takes changes as the subscriber demands them, and ends with the watch. */
  private static final class Delivery implements Flow.Subscription, Runnable {
    private final Watch watch;
    private final Flow.Subscriber<? super Change> subscriber;

    @GuardedBy("this")
    private long demand;

    @GuardedBy("this")
    private boolean cancelled;

    @GuardedBy("this")
    private Optional<IllegalArgumentException> misuse = Optional.empty();

    Delivery(Watch watch, Flow.Subscriber<? super Change> subscriber) {
      this.watch = watch;
      this.subscriber = subscriber;
    }

    /** Tells a second subscriber that there is one, and leaves the watch to that. */
    void refuse() {
      synchronized (this) {
        cancelled = true;
      }
      subscriber.onSubscribe(this);
      subscriber.onError(
          new IllegalStateException("the watch has a subscriber: begin another watch"));
    }

    @Override
    public void run() {
      try {
        while (awaitDemand()) {
          Change change = watch.next();
          if (!isCancelled()) {
            subscriber.onNext(change);
          }
        }
      } catch (Throwable e) {
        if (!isCancelled()) {
          subscriber.onError(misuse().<Throwable>map(bad -> bad).orElse(e));
        }
      } finally {
        watch.close();
      }
    }

    /** Waits until a change is wanted; says whether one is. */
    private synchronized boolean awaitDemand() throws InterruptedException {
      while (demand == 0 && !cancelled && misuse.isEmpty()) {
        wait();
      }
      misuse.ifPresent(
          bad -> {
            throw bad;
          });
      demand--;
      return !cancelled;
    }

    private synchronized boolean isCancelled() {
      return cancelled;
    }

    private synchronized Optional<IllegalArgumentException> misuse() {
      return misuse;
    }

    @Override
    public void request(long number) {
      boolean ends;
      synchronized (this) {
        if (number <= 0) {
          misuse =
              Optional.of(
                  new IllegalArgumentException("a subscriber requests 1 or more, not " + number));
        } else {
          demand = demand + number < 0 ? Long.MAX_VALUE : demand + number;
        }
        ends = misuse.isPresent() && !cancelled;
        notifyAll();
      }
      if (ends) {
        watch.close();
      }
    }

    @Override
    public void cancel() {
      boolean ends;
      synchronized (this) {
        ends = !cancelled;
        cancelled = true;
        notifyAll();
      }
      if (ends) {
        watch.close();
      }
    }
  }
}
