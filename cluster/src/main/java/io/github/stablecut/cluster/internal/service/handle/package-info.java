/**
 * The transactions, scans, pins and watches that clients hold open on a server, the quotas for
 * them, and the memory for large answers.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.service.handle;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
