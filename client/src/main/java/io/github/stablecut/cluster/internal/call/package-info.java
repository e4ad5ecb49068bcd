/**
 * What {@code Stablecut.connect} and a server say to each other: calls, answers, and their bytes.
 * No I/O. Called by the client and by the server's service.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.call;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
