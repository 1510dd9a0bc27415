namespace Sc2Bridge.Server;

/// <summary>A server cannot listen on its address. The message names the address, the reason and the remedy.</summary>
/// <param name="message">One line.</param>
/// <param name="cause">The system's error.</param>
public class AddressException(string message, Exception? cause = null) : IOException(message, cause);

/// <summary>Another process already listens on the address.</summary>
/// <param name="address">The address as the user wrote it.</param>
/// <param name="cause">The system's error.</param>
public sealed class AddressInUseException(string address, Exception? cause = null)
    : AddressException($"The address {address} is in use: stop the program that listens there, or choose another address.", cause)
{
    /// <summary>The address as the user wrote it. Contains all addresses, separated by " or ", if the server cannot tell which is in use.</summary>
    public string Address { get; } = address;
}
