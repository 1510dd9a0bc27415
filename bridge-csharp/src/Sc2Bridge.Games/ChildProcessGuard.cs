using System.ComponentModel;
using System.Diagnostics;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Ends a process that the bridge has started when the bridge exits, for whatever reason; not where the bridge itself
/// is killed outright.
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
