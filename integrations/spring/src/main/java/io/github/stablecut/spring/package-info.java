/**
 * A store as a Spring Boot bean: opened or connected to according to its properties, closed after
 * all beans that use it, with health and metrics. No other module depends on Spring.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.spring;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
