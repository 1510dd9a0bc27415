using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Protocol;

/// <summary>The top-level fields of a serialized <see cref="Response"/>.</summary>
/// <param name="Id">The <c>id</c> of the request; null if the request had none.</param>
/// <param name="Status">The game's state; null if the response does not report it.</param>
/// <param name="BodyField">
/// The body's field number, which equals the request's field number (see <see cref="Response.ResponseOneofCase"/>); 0 without a body.
/// </param>
/// <param name="BodyStart">Offset of the body's first byte in the span that was sliced.</param>
/// <param name="BodyLength">The body's length in bytes.</param>
/// <param name="HasErrors">
/// True if <c>error</c> is not empty. Without a body, the request failed. With a body, the errors are warnings.
/// </param>
public readonly record struct ResponseSlice(
    uint? Id, Status? Status, int BodyField, int BodyStart, int BodyLength, bool HasErrors);

/// <summary>Finds the body of a <see cref="Response"/> without parsing it.</summary>
public static class ResponseSlicer
{
    private const int LastBodyField = Response.MapCommandFieldNumber;

    /// <summary>
    /// Slices a response. If the id or the state occurs several times, or several kinds of body occur, the last one counts, as in
    /// parsing. Unknown fields, and known fields of another wire type, are skipped.
    /// </summary>
    /// <param name="response">The whole serialized message.</param>
    /// <exception cref="MalformedMessageException">
    /// The bytes are not a message, or the body comes in two parts. protobuf allows two parts, but the game never sends
    /// them, and they cannot be passed on as one span of bytes.
    /// </exception>
    public static ResponseSlice Slice(ReadOnlySpan<byte> response)
    {
        uint? id = null;
        Status? status = null;
        var (bodyField, bodyStart, bodyLength) = (0, 0, 0);
        var hasErrors = false;
        var reader = new WireReader(response);
        while (reader.Next())
        {
            switch (reader.Field, reader.Type)
            {
                case ( <= LastBodyField, WireFormat.WireType.LengthDelimited):
                    if (reader.Field == bodyField)
                    {
                        throw new MalformedMessageException(
                            $"the body (field {bodyField}) occurs twice", reader.Start);
                    }

                    bodyField = reader.Field;
                    (bodyStart, bodyLength) = (reader.ContentStart, reader.Content.Length);
                    break;
                case (Response.IdFieldNumber, WireFormat.WireType.Varint):
                    id = (uint)reader.VarintValue;
                    break;
                case (Response.StatusFieldNumber, WireFormat.WireType.Varint):
                    status = (Status)(int)reader.VarintValue;
                    break;
                case (Response.ErrorFieldNumber, WireFormat.WireType.LengthDelimited):
                    hasErrors = true;
                    break;
            }
        }

        return new ResponseSlice(id, status, bodyField, bodyStart, bodyLength, hasErrors);
    }
}
