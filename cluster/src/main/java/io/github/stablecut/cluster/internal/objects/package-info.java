/**
 * Converts the protocol's types and operations to Stablecut's, and Stablecut's values to the
 * protocol's: one {@link io.github.stablecut.cluster.internal.objects.TypeMapping} per data type.
 * Depends on no store internals, threads or network. Called by the server and by the remote client.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.objects;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
