package io.github.stablecut.crdt;

import io.github.stablecut.causality.VectorClock;

/**
 * The transaction's context when an operation becomes an effect.
 *
 * @param dataCentre the number of the data centre that executes the operation
 * @param snapshot the transaction's snapshot
 * @param dots issues the transaction's self dots
 */
public record OperationContext(int dataCentre, VectorClock snapshot, SelfDots dots) {}
