/**
 * What clients hold open on a server (transactions, scans, pins, watches), the quotas for it, and
 * the memory for large answers.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.service.handle;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
