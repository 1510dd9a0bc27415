using Microsoft.Extensions.Logging;

namespace Sc2Bridge.Testing;

/// <summary>A logger and its factory, which keep all entries.</summary>
public sealed class KeptLog : ILogger, ILoggerFactory
{
    private readonly List<Entry> _entries = [];

    public sealed record Entry(LogLevel Level, EventId Id, string Text, Exception? Exception);

    public IReadOnlyList<Entry> Entries
    {
        get
        {
            lock (_entries)
            {
                return [.. _entries];
            }
        }
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        lock (_entries)
        {
            _entries.Add(new Entry(logLevel, eventId, formatter(state, exception), exception));
        }
    }

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }
}
