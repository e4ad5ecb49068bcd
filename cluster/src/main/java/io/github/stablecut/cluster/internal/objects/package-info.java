/**
 * What the protocol's types and operations are in Stablecut, and Stablecut's values in the
 * protocol: one {@link io.github.stablecut.cluster.internal.objects.TypeMapping} per data type.
 * Knows no store's inside, no thread and no network. Called by the server and by the remote client.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.objects;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
