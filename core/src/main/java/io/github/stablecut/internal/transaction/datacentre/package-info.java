/**
 * A store's part in a group of data centres: how one joins, is admitted and copies what the others
 * have.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.transaction.datacentre;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
