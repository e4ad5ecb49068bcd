package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The store that a server serves. It is exchanged for another one when it joins other data centres;
 * who asks for it meanwhile waits. Thread-safe.
 */
public final class ServedStore implements Supplier<Store> {
  private volatile Optional<Store> store;

  /** Why there is none any more. Guarded by this. */
  private Optional<StablecutException> failure = Optional.empty();

  /** What is to be done once there is another one. Guarded by this. */
  private Runnable afterExchange = () -> {};

  public ServedStore(Store store) {
    this.store = Optional.of(store);
  }

  /**
   * The store; waits while it is exchanged.
   *
   * @throws StablecutException if the exchange has failed, and there is none
   */
  @Override
  public Store get() {
    return store.orElseGet(this::await);
  }

  private synchronized Store await() {
    return store.orElseThrow(failure::orElseThrow);
  }

  /** The store; empty while it is exchanged. */
  public Optional<Store> find() {
    return store;
  }

  /**
   * Exchanges the store.
   *
   * @param exchange closes the one, and opens the other
   */
  public synchronized void exchange(UnaryOperator<Store> exchange) {
    Store before = get();
    store = Optional.empty();
    try {
      store = Optional.of(exchange.apply(before));
    } catch (StablecutException e) {
      failure = Optional.of(e);
      throw e;
    }
    afterExchange.run();
  }

  /**
   * Runs some work now, and again after each exchange, even if the work that was added before
   * fails.
   */
  public synchronized void andAfterExchanges(Runnable work) {
    Runnable others = afterExchange;
    afterExchange =
        () -> {
          try {
            others.run();
          } finally {
            work.run();
          }
        };
    work.run();
  }

  /** Closes the store, if there is one. */
  public synchronized void close() {
    store.ifPresent(Store::close);
  }
}
