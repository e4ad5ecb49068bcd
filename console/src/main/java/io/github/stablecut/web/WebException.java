package io.github.stablecut.web;

/** Thrown if a request can't be answered; the client receives the status and the message. */
public final class WebException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  /**
   * Creates the exception.
   *
   * @param status the HTTP status, 400 to 599
   * @param message what is wrong, and what to do
   */
  public WebException(int status, String message) {
    super(message);
    this.status = status;
  }

  /** Creates the exception for an invalid request. */
  public static WebException badRequest(String message) {
    return new WebException(400, message);
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }
}
