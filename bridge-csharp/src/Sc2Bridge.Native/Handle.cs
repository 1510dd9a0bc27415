namespace Sc2Bridge.Native;

/// <summary>An object that the caller opened, and uses by its number. One call at a time.</summary>
internal abstract class Handle : IDisposable
{
    /// <summary>Locked during a call.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Whether the caller closed the object.</summary>
    public bool IsClosed { get; private set; }

    /// <inheritdoc/>
    public virtual void Dispose() => IsClosed = true;
}
