package io.github.stablecut;

/**
 * The result of a transaction and a token of its commit. Immutable if the value is.
 *
 * @param value the result of the function
 * @param token a token whose snapshot contains the transaction's updates
 */
public record TransactionResult<R>(R value, CausalToken token) {}
