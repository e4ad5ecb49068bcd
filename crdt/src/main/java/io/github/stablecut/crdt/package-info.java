/**
 * The data types: one contract ({@link io.github.stablecut.crdt.CrdtType}) and one file per type,
 * usable without a store.
 *
 * <p>Types are operation-based (Shapiro et al., INRIA RR-7687, 2011; Baquero et al., "Pure
 * Operation-Based Replicated Data Types", 2017). An <em>operation</em> is what a client asks for.
 * At its origin it is turned into an <em>effect</em> ({@code downstream}), which every replica
 * applies, once, in an order that extends causality; who delivers effects has to guarantee that. In
 * return applying is total and deterministic: it never throws, reads no clock and depends on no
 * hash order, so replicas that have applied the same effects are equal.
 *
 * <p>Only the JDK is used here. Bytes are written and read through {@link
 * io.github.stablecut.crdt.Encoder} and {@link io.github.stablecut.crdt.Decoder}, which the {@code
 * codec} package implements. States, operations and effects are immutable.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
