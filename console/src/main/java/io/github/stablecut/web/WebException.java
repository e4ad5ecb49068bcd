package io.github.stablecut.web;

/** A request that can't be answered: the client gets the status and the message. */
public final class WebException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  /**
   * A request that can't be answered.
   *
   * @param status of HTTP, 400 to 599
   * @param message what is wrong, and what to do
   */
  public WebException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** A mistake of the client. */
  public static WebException badRequest(String message) {
    return new WebException(400, message);
  }

  /** The status of HTTP. */
  public int status() {
    return status;
  }
}
