/*
 * must_check.h
 *		Marks functions whose result has to be looked at.
 *
 * Those are functions that leave what they are to fill in as it was if they fail.  A
 * cast to void does not silence gcc, so who knows that a call cannot fail says what is
 * to be done if it does.
 */
#ifndef WA_CORE_MUST_CHECK_H
#define WA_CORE_MUST_CHECK_H

#define WA_MUST_CHECK __attribute__((warn_unused_result))

#endif /* WA_CORE_MUST_CHECK_H */
