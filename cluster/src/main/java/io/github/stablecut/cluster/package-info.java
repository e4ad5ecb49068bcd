/**
 * The server: serves a {@link io.github.stablecut.Store} to other processes, alone or as a cluster
 * node. Packages named {@code internal} are not part of the API.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
