using System.Diagnostics.CodeAnalysis;
using Sc2Bridge.Encoding.Zstd;
using Sc2Bridge.Recording.Mcap;

namespace Sc2Bridge.Recording;

/// <summary>What is wrong with a file, in one line.</summary>
/// <param name="name">The file, as people name it.</param>
internal sealed class RecordingErrors(string name)
{
    /// <summary>The line: the file, what is wrong at which byte, what to do.</summary>
    public string Line(McapException problem) =>
        $"{name}: {problem.Message}, at byte {problem.Offset}: "
        + (problem.Remedy
            ?? $"what stands before it can be read; sc2bridge inspect {name} --repair OUT writes a clean file");

    /// <summary>Whether it is one of those that files cause.</summary>
    public static bool IsOfFile(Exception error) => error is McapException or IOException or ZstdException;

    /// <summary>The same to be thrown.</summary>
    public RecordingException Of(Exception error) => error is McapException problem
        ? new RecordingException(Line(problem), problem)
        : new RecordingException($"{name} cannot be read: {error.Message}", error);
}
