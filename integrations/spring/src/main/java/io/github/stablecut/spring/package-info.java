/**
 * A store as a bean of Spring Boot: opened or connected to as its properties say, closed after all
 * that uses it, with its health and metrics. Nothing else of Stablecut knows Spring.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.spring;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
