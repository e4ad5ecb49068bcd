/**
 * The data types: one contract ({@link io.github.stablecut.crdt.CrdtType}) and one file per type,
 * usable without a store.
 *
 * <p>Types are operation-based (Shapiro et al., INRIA RR-7687, 2011; Baquero et al., "Pure
 * Operation-Based Replicated Data Types", 2017). An <em>operation</em> is a change that a client
 * requests. Its origin turns it into an <em>effect</em> ({@code downstream}), which every replica
 * applies exactly once, in an order that respects causality; the delivery of effects must guarantee
 * this. In return, applying is total and deterministic: it never throws, reads no clock and depends
 * on no hash order. So replicas that have applied the same effects have equal states.
 *
 * <p>The package depends only on the JDK. It writes and reads bytes through {@link
 * io.github.stablecut.crdt.Encoder} and {@link io.github.stablecut.crdt.Decoder}, which the {@code
 * codec} package implements. States, operations and effects are immutable.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
