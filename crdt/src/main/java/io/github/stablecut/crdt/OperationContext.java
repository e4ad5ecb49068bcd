package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;

/**
 * What an operation knows of the transaction it is part of when it becomes an effect.
 *
 * @param dataCentre the number of the data centre that executes the operation
 * @param snapshot what the transaction reads at
 * @param dots gives the transaction's next own events
 */
public record OperationContext(int dataCentre, VectorClock snapshot, SelfDots dots) {}
