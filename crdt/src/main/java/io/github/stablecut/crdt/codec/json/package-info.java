/**
 * Users' values as JSON: {@link io.github.stablecut.crdt.codec.json.JsonCodec}, which programs that
 * have Jackson on their class path use. Nothing of the store refers to this package, so that it
 * does without Jackson.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.codec.json;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
