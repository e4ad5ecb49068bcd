package io.github.stablecut.examples.verification;

import io.github.stablecut.Store;

/** The judged system: the stores of clients, and faults of the servers behind them. Thread-safe. */
interface TargetStores extends AutoCloseable {
  /**
   * Returns the store of a client, who releases it.
   *
   * @param client the number of the client, from 0
   * @throws io.github.stablecut.error.StablecutException if no server responds
   */
  Store open(int client);

  /** Ends a client's use of its store. */
  void release(Store store);

  /**
   * Injects a fault that a seed chooses; does nothing if there is one.
   *
   * @return what happens
   */
  String inject();

  /** Ends the fault. */
  void heal();

  @Override
  void close();
}
