package io.github.stablecut.internal.transaction;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Makes a collaborator of the engine throw once, on a thread whose name begins with a prefix.
 * Thread-safe.
 */
final class Faulty {
  private @Nullable Throwable thrown;
  private String method = "";
  private String thread = "";
  private CountDownLatch hit = new CountDownLatch(0);

  /** Makes the next call of a method on a thread throw. */
  synchronized CountDownLatch arm(Throwable what, String onMethod, String onThread) {
    thrown = what;
    method = onMethod;
    thread = onThread;
    hit = new CountDownLatch(1);
    return hit;
  }

  private synchronized void call(String called) throws Throwable {
    Throwable now = thrown;
    if (now != null
        && called.equals(method)
        && Thread.currentThread().getName().startsWith(thread)) {
      thrown = null;
      hit.countDown();
      throw now;
    }
  }

  /** The same collaborator, which throws when it is armed. */
  <T> T in(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              call(called.getName());
              try {
                return called.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
