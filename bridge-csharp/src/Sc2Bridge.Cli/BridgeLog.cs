using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Cli;

/// <summary>
/// The log of a session: <c>bridge.log</c> in the output folder. Warnings and errors are also printed; options can change
/// the levels. A separate thread writes the file, so that logging does not wait for the disk.
/// </summary>
internal sealed class BridgeLog : ILoggerProvider
{
    internal const string FileName = "bridge.log";

    private readonly Action<string> _print;
    private readonly LogFile? _file;
    private readonly LogWriter? _writer;
    private readonly LogLevel _fileLevel;
    private readonly LogLevel _printedLevel;

    private BridgeLog(Action<string> warn, LogFile? file, LogWriter? writer, LogLevel level)
    {
        (_print, _file, _writer, _fileLevel) = (warn, file, writer, level);
        var lowest = Printing.IsQuiet ? LogLevel.Error : LogLevel.Warning;
        _printedLevel = Printing.IsVerbose ? LogLevel.Information : level > lowest ? level : lowest;
    }

    /// <summary>Opens the log file. The returned factory owns the file.</summary>
    /// <param name="folder">The output folder.</param>
    /// <param name="level">The minimum level in the file; with <see cref="LogLevel.None"/> there is no file.</param>
    /// <param name="warn">Prints each warning and error as one line. The function must return at once.</param>
    /// <param name="failed">Called with one line if the file cannot be written.</param>
    /// <exception cref="CommandException">The file cannot be created.</exception>
    internal static ILoggerFactory Open(string folder, LogLevel level, Action<string> warn, Action<string> failed)
    {
        var file = level == LogLevel.None ? null : LogFile.Open(folder, FileName);
        var writer = file is null ? null : new LogWriter(file, new SidePath(FileName, logger: null, failed));
        var log = new BridgeLog(warn, file, writer, level);
        var lowest = level < log._printedLevel ? level : log._printedLevel;
        return LoggerFactory.Create(builder =>
        {
            // The log is registered with a factory function, so that the container disposes the log. Disposing it writes the queued lines.
            builder.Services.AddSingleton<ILoggerProvider>(_ => log);
            builder.AddFilter((category, given) => given >= lowest && IsLogged(category, given));
        });
    }

    // Logs only errors of the web server Kestrel. Kestrel's other messages contain addresses of requests, and addresses contain tokens.
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

    private static string LevelName(LogLevel level) => level switch
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
            if (logLevel >= log._fileLevel)
            {
                log._writer?.Write(string.Create(
                    CultureInfo.InvariantCulture,
                    $"{DateTime.Now:yyyy-MM-dd HH:mm:ss.fff} {LevelName(logLevel),-5} {category}[{eventId.Id}] {text}\n")
                    + string.Concat(PlainText.Lines($"{exception}").Where(line => line.Length > 0).Select(line => $"    {line}\n")));
            }

            if (logLevel >= log._printedLevel)
            {
                log._print(logLevel < LogLevel.Warning ? $"{category.Split('.')[^1]}: {text}"
                    : $"sc2bridge: {text}{(log._file is null ? "" : $" (see {FileName})")}");
            }
        }
    }
}
