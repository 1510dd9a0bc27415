using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>Converts errors of a file to <see cref="RecordingException"/>s with a message of one line.</summary>
/// <param name="name">The file, as the user named it.</param>
internal sealed class RecordingErrors(string name)
{
    /// <summary>Returns one line with the file, the problem, its position in the file, and the remedy.</summary>
    public string Line(McapException problem) =>
        $"{name}: {problem.Message}{(problem.Offset > 0 ? $", at byte {problem.Offset}" : "")}: "
        + (problem.Remedy
            ?? $"the part before it can be read; sc2bridge inspect {name} --repair OUT writes a clean file");

    /// <summary>Whether a file caused the error.</summary>
    public static bool IsOfFile(Exception error) => error is McapException or IOException;

    /// <summary>The exception for an error.</summary>
    public RecordingException ToRecordingException(Exception error) => error is McapException problem
        ? new RecordingException(Line(problem), problem)
        : new RecordingException($"{name} cannot be read: {error.Message}", error);

    /// <summary>Runs a function and converts its errors.</summary>
    /// <exception cref="RecordingException">The function failed because of the file.</exception>
    public T Wrap<T>(Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception error) when (IsOfFile(error))
        {
            throw ToRecordingException(error);
        }
    }

    /// <summary>Enumerates items and converts errors.</summary>
    /// <exception cref="RecordingException">During the enumeration: the file cannot be read.</exception>
    public IEnumerable<T> Wrap<T>(IEnumerable<T> items)
    {
        using var item = items.GetEnumerator();
        while (Wrap(item.MoveNext))
        {
            yield return item.Current;
        }
    }
}
