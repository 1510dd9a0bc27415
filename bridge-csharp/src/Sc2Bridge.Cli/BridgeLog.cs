using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Cli;

/// <summary>
/// Where a session's parts log to: <c>bridge.log</c> in its output folder, written on a thread of its own, and the
/// console for warnings and errors (the program's options may change which), a line each. Nobody who logs waits for a disk.
/// </summary>
internal sealed class BridgeLog : ILoggerProvider
{
    internal const string FileName = "bridge.log";

    private readonly Action<string> _warn;
    private readonly LogFile? _file;
    private readonly LogWriter? _writer;
    private readonly LogLevel _level;
    private readonly LogLevel _printed;

    private BridgeLog(Action<string> warn, LogFile? file, LogWriter? writer, LogLevel level)
    {
        (_warn, _file, _writer, _level) = (warn, file, writer, level);
        var least = Printing.IsQuiet ? LogLevel.Error : LogLevel.Warning;
        _printed = Printing.IsVerbose ? LogLevel.Information : level > least ? level : least;
    }

    /// <summary>Opens the file; the factory owns it.</summary>
    /// <param name="folder">The output folder.</param>
    /// <param name="level">The least level that is logged; none: no file.</param>
    /// <param name="warn">Gets warnings and errors, a line each; returns at once.</param>
    /// <param name="failed">Gets one line where the file cannot be written any more.</param>
    /// <exception cref="CommandException">The file cannot be made.</exception>
    internal static ILoggerFactory Open(string folder, LogLevel level, Action<string> warn, Action<string> failed)
    {
        var file = level == LogLevel.None ? null : LogFile.Open(folder, FileName);
        var writer = file is null ? null : new LogWriter(file, new SidePath(FileName, logger: null, failed));
        var log = new BridgeLog(warn, file, writer, level);
        var least = level < log._printed ? level : log._printed;
        return LoggerFactory.Create(builder =>
        {
            // Registered as a factory: the container then disposes it, which writes the lines that still wait.
            builder.Services.AddSingleton<ILoggerProvider>(_ => log);
            builder.AddFilter((category, given) => given >= least && IsLogged(category, given));
        });
    }

    // Of the web server below ours what it cannot explain: else it writes requests' addresses, with tokens in them.
    private static bool IsLogged(string? category, LogLevel level) =>
        category?.StartsWith("Sc2Bridge.", StringComparison.Ordinal) is true
        || (category == "Microsoft.AspNetCore.Server.Kestrel" && level >= LogLevel.Error);

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => new Logger(this, categoryName);

    /// <inheritdoc/>
    public void Dispose()
    {
        _writer?.Dispose();
        _file?.Dispose();
    }

    private static string Name(LogLevel level) => level switch
    {
        LogLevel.Trace => "TRACE",
        LogLevel.Debug => "DEBUG",
        LogLevel.Information => "INFO",
        LogLevel.Warning => "WARN",
        LogLevel.Error => "ERROR",
        _ => "FATAL",
    };

    private sealed class Logger(BridgeLog log, string category) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter)
        {
            var text = PlainText.Escape(formatter(state, exception));
            if (logLevel >= log._level)
            {
                log._writer?.Write(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{DateTime.Now:yyyy-MM-dd HH:mm:ss.fff} {Name(logLevel),-5} {category}[{eventId.Id}] {text}\n")
                    + string.Concat(PlainText.Lines($"{exception}").Where(line => line.Length > 0).Select(line => $"    {line}\n")));
            }

            if (logLevel >= log._printed)
            {
                log._warn(logLevel < LogLevel.Warning ? $"{category.Split('.')[^1]}: {text}"
                    : $"sc2bridge: {text}{(log._file is null ? "" : $" (see {FileName})")}");
            }
        }
    }
}
