package io.github.stablecut.cluster.internal.datacentre;

import io.github.stablecut.Store;
import io.github.stablecut.error.StablecutException;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The store that a server serves. Joining other data centres replaces the store; callers wait
 * meanwhile. Thread-safe.
 */
public final class ServedStore implements Supplier<Store> {
  private volatile Optional<Store> store;

  /** The reason why an exchange failed, after which there is no store. Guarded by this. */
  private Optional<StablecutException> failure = Optional.empty();

  /** Runs after each exchange. Guarded by this. */
  private Runnable afterExchange = () -> {};

  public ServedStore(Store store) {
    this.store = Optional.of(store);
  }

  /**
   * Returns the store; waits during an exchange.
   *
   * @throws StablecutException if an exchange has failed
   */
  @Override
  public Store get() {
    return store.orElseGet(this::await);
  }

  private synchronized Store await() {
    return store.orElseThrow(failure::orElseThrow);
  }

  /** Returns the store; empty during an exchange. */
  public Optional<Store> find() {
    return store;
  }

  /**
   * Replaces the store.
   *
   * @param exchange closes the old store and opens the new one
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

  /** Runs some work now and after each exchange, even if previously added work fails. */
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

  /** Closes the store, unless an exchange has failed. */
  public synchronized void close() {
    store.ifPresent(Store::close);
  }
}
