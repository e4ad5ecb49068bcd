/**
 * Users' values as JSON: {@link io.github.stablecut.crdt.codec.json.JsonCodec}, for programs with
 * Jackson on their class path. The store does not refer to this package, so it does not need
 * Jackson.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.codec.json;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
