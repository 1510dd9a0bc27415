using System.ComponentModel;
using System.Diagnostics;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Holds a process that the bridge has started, so that it does not outlive the bridge however that exits by itself; of
/// one that is killed outright no leash is pulled.
/// </summary>
public sealed class ChildProcessGuard : IDisposable
{
    private readonly Process _process;
    private readonly EventHandler _onExit;

    /// <summary>Takes it.</summary>
    /// <param name="process">The process, which stays the caller's to dispose, after this.</param>
    /// <param name="afterwards">What is to be done when the bridge's exit has killed it.</param>
    public ChildProcessGuard(Process process, Action? afterwards = null)
    {
        ArgumentNullException.ThrowIfNull(process);
        _process = process;
        _onExit = (_, _) =>
        {
            Kill();
            afterwards?.Invoke();
        };
        AppDomain.CurrentDomain.ProcessExit += _onExit;
    }

    /// <summary>Ends it with every process that it started, where it has not ended by itself.</summary>
    public void Kill()
    {
        try
        {
            _process.Kill(entireProcessTree: true);
        }
        catch (Exception gone) when (gone is InvalidOperationException or Win32Exception or AggregateException)
        {
            // It has ended.
        }
    }

    /// <summary>Lets it go; it goes on where it runs.</summary>
    public void Dispose() => AppDomain.CurrentDomain.ProcessExit -= _onExit;
}
