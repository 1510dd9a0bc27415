namespace Sc2Bridge.Server;

/// <summary>A server cannot listen on its address; the message says where, why, and what to do.</summary>
/// <param name="message">One line.</param>
/// <param name="cause">What the system said.</param>
public class AddressException(string message, Exception? cause = null) : IOException(message, cause);

/// <summary>Another process listens there already.</summary>
/// <param name="address">As it was written.</param>
/// <param name="cause">What the system said.</param>
public sealed class AddressInUseException(string address, Exception? cause = null)
    : AddressException($"The address {address} is in use: stop what listens there, or choose another.", cause)
{
    /// <summary>As it was written; several with " or " between them if it is not known which of them is in use.</summary>
    public string Address { get; } = address;
}
