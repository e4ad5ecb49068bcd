/**
 * {@code examples/run advertising}: the advertising workload of the vCorfu paper (Wei et al., NSDI
 * 2017, section 6.3) with a live plot. Views of web pages are recorded at a fixed rate, each
 * durably on the stream of its page, while an analysis reads all streams at one snapshot.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.examples.advertising;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
