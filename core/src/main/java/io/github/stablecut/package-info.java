/**
 * Stablecut's public API. Open a {@link io.github.stablecut.Store} with {@link
 * io.github.stablecut.Stablecut#open}. Name objects with {@link io.github.stablecut.key.Key}s, and
 * change them with {@link io.github.stablecut.key.Update}s, singly or in a {@link
 * io.github.stablecut.Transaction}. Read them now or as of a {@link
 * io.github.stablecut.CausalToken}.
 *
 * <p>Other public packages: {@code key} contains the keys of objects, one class per data type;
 * {@code map} tables of records on top of them; {@code option} the options of stores, transactions
 * and watches; {@code error} every exception, in five groups by the caller's reaction; {@code
 * tools} the tools for closed stores.
 *
 * <p>Packages named {@code internal} may change at any time; all others are for users.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
