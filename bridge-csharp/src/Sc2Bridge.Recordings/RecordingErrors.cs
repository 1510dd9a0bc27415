using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>What is wrong with a file, in one line.</summary>
/// <param name="name">The file, as people name it.</param>
internal sealed class RecordingErrors(string name)
{
    /// <summary>The line: the file, what is wrong at which byte, what to do.</summary>
    public string Line(McapException problem) =>
        $"{name}: {problem.Message}{(problem.Offset > 0 ? $", at byte {problem.Offset}" : "")}: "
        + (problem.Remedy
            ?? $"what stands before it can be read; sc2bridge inspect {name} --repair OUT writes a clean file");

    /// <summary>Whether it is one of those that files cause.</summary>
    public static bool IsOfFile(Exception error) => error is McapException or IOException;

    /// <summary>The same to be thrown.</summary>
    public RecordingException Of(Exception error) => error is McapException problem
        ? new RecordingException(Line(problem), problem)
        : new RecordingException($"{name} cannot be read: {error.Message}", error);

    /// <summary>Reads something, and says so where it cannot.</summary>
    /// <exception cref="RecordingException">With that line.</exception>
    public T Told<T>(Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception error) when (IsOfFile(error))
        {
            throw Of(error);
        }
    }

    /// <summary>The same of what is read one by one.</summary>
    /// <exception cref="RecordingException">While it is read.</exception>
    public IEnumerable<T> Told<T>(IEnumerable<T> items)
    {
        using var item = items.GetEnumerator();
        while (Told(item.MoveNext))
        {
            yield return item.Current;
        }
    }
}
