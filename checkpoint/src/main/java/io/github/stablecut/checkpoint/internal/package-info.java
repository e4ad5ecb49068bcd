/**
 * Writes, reads, merges and chooses runs and manifests: the bytes, not the policy of when. Called
 * by {@link io.github.stablecut.checkpoint} only.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.checkpoint.internal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
