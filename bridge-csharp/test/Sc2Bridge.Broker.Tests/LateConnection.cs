using System.Reflection;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker.Tests;

/// <summary>A connection that only remembers whether it was disposed.</summary>
public class LateConnection : DispatchProxy
{
    private bool _isDisposed;

    internal static (IConnection Connection, Func<bool> IsDisposed) Make()
    {
        var connection = Create<IConnection, LateConnection>();
        return (connection, () => Volatile.Read(ref ((LateConnection)(object)connection)._isDisposed));
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        Volatile.Write(ref _isDisposed, _isDisposed || targetMethod!.Name == nameof(IAsyncDisposable.DisposeAsync));
        return targetMethod!.ReturnType == typeof(ValueTask) ? ValueTask.CompletedTask : Task.CompletedTask;
    }
}
