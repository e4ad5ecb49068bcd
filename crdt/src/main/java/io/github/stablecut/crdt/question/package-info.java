/**
 * Questions: reads of a part of an object (a range, a page, an element, a function of a stream),
 * which are evaluated where the object is, and the encoding of their answers.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.question;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
